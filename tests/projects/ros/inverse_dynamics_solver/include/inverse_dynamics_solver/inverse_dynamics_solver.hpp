// A stand-in for the package's header, with the functions that docs.ros.org documents.
#pragma once

#include <eigen3/Eigen/Core>
#include <rclcpp/node_interfaces/node_parameters_interface.hpp>
#include <string>
#include <tuple>

namespace inverse_dynamics_solver {

class InverseDynamicsSolver {
public:
    using Vector = Eigen::VectorXd;

    virtual ~InverseDynamicsSolver() = default;
    virtual void initialize(rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters = nullptr,
        const std::string& param_namespace = "", const std::string& robot_description = "") = 0;
    virtual std::tuple<Eigen::MatrixXd, Vector, Vector> getDynamicParameters(const Vector& q, const Vector& qd) const
    {
        return {getInertiaMatrix(q), getCoriolisVector(q, qd), getGravityVector(q)};
    }
    virtual Eigen::MatrixXd getInertiaMatrix(const Vector& q) const = 0;
    virtual Vector getCoriolisVector(const Vector& q, const Vector& qd) const = 0;
    virtual Vector getGravityVector(const Vector& q) const = 0;
    virtual Vector getFrictionVector(const Vector& qd) const = 0;
    virtual Vector getTorques(const Vector& q, const Vector& qd, const Vector& qdd) const
    {
        return getInertiaMatrix(q)*qdd + getCoriolisVector(q, qd) + getGravityVector(q);
    }

protected:
    InverseDynamicsSolver() = default;
};

}
